<?php

// $rawBody: file_get_contents('php://input'); $header: $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? ''; $secret: whsec_…, whole.
function is_genuine(string $rawBody, string $header, string $secret, int $toleranceSeconds = 300): bool
{
    if (!preg_match('/\At=(\d{1,12}),/', $header, $match)) {
        return false;
    }
    $timestamp = $match[1];
    // The header may hold several signatures: one that matches is enough.
    preg_match_all('/,v1=([0-9a-f]{64})\b/', $header, $signatures);
    $expected = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
    $isSigned = false;
    foreach (array_slice($signatures[1], 0, 10) as $signature) {
        $isSigned = hash_equals($expected, $signature) || $isSigned;
    }
    $isFresh = abs(time() - (int) $timestamp) <= $toleranceSeconds;

    return $isSigned && $isFresh;
}
