<?php

// $rawBody: file_get_contents('php://input'); $header: $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? ''; $secret: whsec_…, whole.
function is_genuine(string $rawBody, string $header, string $secret, int $toleranceSeconds = 300): bool
{
    if (!preg_match('/\At=(\d{1,12}),v1=([0-9a-f]{64})\z/', $header, $match)) {
        return false;
    }
    [, $timestamp, $signature] = $match;
    $expected = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
    $isFresh = abs(time() - (int) $timestamp) <= $toleranceSeconds;

    return hash_equals($expected, $signature) && $isFresh;
}
