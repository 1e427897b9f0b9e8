<?php

require __DIR__ . '/webhooks.php';

foreach (explode("\n", rtrim(stream_get_contents(STDIN), "\n")) as $line) {
    [$body, $header, $secret] = explode("\t", $line);
    echo is_genuine(base64_decode($body), $header, $secret) ? "true\n" : "false\n";
}
