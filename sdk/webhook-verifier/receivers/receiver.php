<?php

require __DIR__ . '/webhooks.php';

$rawBody = file_get_contents('php://input');
$delivery = $_SERVER['HTTP_X_SERVICE_DELIVERY'] ?? '';
$genuine = is_genuine($rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', getenv('WEBHOOK_SECRET'));
if (!$genuine || !preg_match('/\A[0-9a-f]{24}\z/', $delivery)) {
    http_response_code(400);
    exit;
}
// Named by its delivery id, and never overwritten: what comes again is there already. Work on the files afterwards.
$path = getenv('INBOX') . "/$delivery.json";
$file = @fopen($path, 'x');
$stored = $file ? fwrite($file, $rawBody) === strlen($rawBody) : file_exists($path);
http_response_code($stored ? 204 : 500);
