/**
 * The meaning of error codes and what to do about them, if the message in the code does not say so. The generation
 * fails for a code that has neither.
 */
export const errorNotes: Record<string, string> = {
  clients_only: 'The operation is for client companies; a contractor has no such thing.',
  changed_meanwhile: 'Somebody else saved it in between. Read it again, then repeat the change.',
  client_id_contractors_only: 'Only a contractor says on whose behalf it acts. As a client, leave `client_id` out.',
  client_id_required:
    'The address lacks `clientId`: register the whole `webhookUrl` of the connection with the provider, as it is shown.',
  concurrency_limited:
    'Too many requests at once with this credential or from this address. Wait for answers before you send more.',
  contractor_id_clients_only:
    'A contractor sees its own part of tickets alone and cannot filter by contractor. Leave `contractor_id` out.',
  contractor_company_set:
    'A contractor of the directory stays with its company. Make another entry for another company.',
  contractor_exists: 'This company is in your directory already: `GET /contractors` finds its entry.',
  custom_field_not_found: 'There is no such custom field in your company.',
  domain_not_found: 'There is no such domain in your company.',
  equipment_not_found: 'There is no such equipment in your company.',
  limited_to_places:
    'Your user is limited to places. What belongs to none of them, such as the places themselves and webhook endpoints, is for users who see every place.',
  job_not_found: 'There is no such job in your company.',
  list_too_broad:
    'The filters find too much to look through in 20 s: add one that finds less, such as a ticket or a range of dates, or sort by another column.',
  location_not_found: 'There is no such location in your company.',
  file_required: 'Send `multipart/form-data` with exactly one file, in the field that the operation names.',
  file_too_large: 'A file has at most 20 MB.',
  thumbnail_not_found:
    'The file is no PNG or JPEG, is damaged, or has too many pixels to be shown small. The file itself can still be downloaded.',
  file_type:
    'The content of the file is neither PDF, PNG nor JPEG. Its name does not count. Convert a photo in another format, as HEIC, to JPEG first.',
  password_missing:
    'An admin without a password cannot switch passwords off: they are the way back in. Set one of your own first.',
  precondition_failed: 'It has changed since you read it (`If-Match`). Read it again, and decide anew.',
  contractors_only: 'The operation is for contractors; a client has no such thing.',
  forbidden:
    'The credential may not do this: the user lacks a permission, or the operation is for the other party of the ticket.',
  headers_too_large: 'The headers of a request have at most 16 KB.',
  idempotency_key_in_progress:
    'The first request with this key is not answered yet. Repeat it after `Retry-After`: you then get its answer.',
  idempotency_key_invalid: 'A key is 1 to 255 printable ASCII characters, and sent once. Best is a new UUID.',
  idempotency_key_reused: 'The key came before with another method, path or body. A new request needs a new key.',
  import_outdated:
    'What the file would change is no longer what its preview said. Nothing was written: take a new preview, and decide anew.',
  in_use: 'Others lie under it: move or delete them first.',
  insufficient_scope:
    'The API token lacks the scope that the operation needs. Make another token: scopes do not change.',
  internal_error:
    'A fault of ours, which we see. Repeat the request with the same `Idempotency-Key`; if it stays, tell us the `request_id`.',
  invalid_cursor: 'Send a cursor as you got it, with the same filters. To begin anew, leave it out.',
  invalid_id: 'An id in the path is not 24 hexadecimal characters.',
  invalid_json:
    'The body is not valid JSON in UTF-8: it is cut, has bytes of another encoding, or has half of a surrogate pair (`"\\ud83d"` alone).',
  invalid_multipart: 'The form is malformed, incomplete, has more fields than are read, or text that is not UTF-8.',
  invalid_signature:
    'Sign the raw bytes of the body with HMAC-SHA256 and the webhook secret of the connection, before anything parses them.',
  invalid_url: 'Path or query has an escape sequence that is none, such as `%zz`, or not UTF-8, such as `%ff`.',
  invoice_state_forbidden:
    'The state of the invoice does not allow this. Read it again: `state` says where it is, somebody may have been quicker.',
  invoice_status_forbidden:
    'The supplier cannot be told this status now: `rule` says which rule forbids it, and `error` in words. `supplierStatus.sendable` of the invoice lists what may be told.',
  malformed_request: 'What came is not valid HTTP, or has no `Host`.',
  method_not_allowed: 'The path is right, the method is not: `Allow` names those that are.',
  not_found:
    'There is nothing at this address. Check host, path and version: tickets are under `/api/v3.0` of the ticket API.',
  origin_forbidden: 'A page of another origin sent the session cookie. Programs send `Authorization` instead.',
  overloaded:
    'More than can be served at the moment. Try again after `Retry-After`, with a pause that grows each time.',
  mail_secret_wrong: 'Send `X-Mail-Secret` with the value of the setting MAIL_INBOUND_SECRET.',
  password_link_not_found: 'The link was used, replaced by a newer one, or is too old. Ask an admin for another.',
  payload_too_large: 'A JSON body has at most 1 MB.',
  purchase_duplicate_reference:
    'Another live document of yours on this ticket has this kind and reference. Creating such a document again answers that one.',
  purchase_file_limit_file_size: 'A file has at most 20 MB.',
  purchase_file_required: 'Send `multipart/form-data` with exactly one file, in the field `file`.',
  purchase_file_type:
    'The content of the file is neither PDF, PNG nor JPEG. Its name does not count. Convert a photo in another format, as HEIC, to JPEG first.',
  purchase_goods_receipt_already_exists: 'A purchase order has one goods receipt, and this one has it.',
  purchase_invalid_purchase_id: 'The id of the purchase document is not 24 hexadecimal characters.',
  purchase_invalid_ticket_id: 'The id of the ticket is not 24 hexadecimal characters.',
  purchase_order_link_only_on_goods_receipt: 'Only a goods receipt names a `purchase_order_id`.',
  purchase_order_not_found: '`purchase_order_id` is none of your live purchase orders on this ticket.',
  purchase_ticket_state_forbidden:
    'The ticket is a draft, canceled, or declined by your company: no purchase document is written on it.',
  purchase_timeout:
    'The purchase service did not answer in time. Try again: a document is created once for each kind and reference.',
  purchase_unavailable:
    'The purchase service cannot be reached. Try again: a document is created once for each kind and reference.',
  range_not_satisfiable: 'The range begins after the end of the file: `Content-Range` says how long it is.',
  rate_limited: 'More than your requests a minute. `Retry-After` says how many seconds to wait.',
  request_timeout: 'The body did not arrive whole in time. Send it again.',
  service_timeout:
    'No answer in time. What was asked may have been done: repeat a POST with the same `Idempotency-Key`.',
  service_unavailable: 'Something behind the API is away. Try again, with a pause that grows each time.',
  sheet_too_large:
    'Narrow the filters until they find 100,000 or fewer, or have the file made in the background: `POST /exports` with the path and query of the download.',
  ticket_not_found: 'There is no such ticket, or your company is no party to it.',
  ticket_transition_forbidden:
    'The status of the ticket does not allow this. The answer names `operation` and `from`; read the ticket again, somebody may have been quicker.',
  too_many_attempts:
    'Wait `Retry-After` seconds, and check the secret before you go on. Whom somebody else’s guesses stop asks for a new password.',
  transfer_encoding_unsupported:
    'A body comes with `Content-Length`, or with `Transfer-Encoding: chunked` and nothing else.',
  too_many_entries: 'A list or directory with more than 20,000 entries takes no import. Change its entries one by one.',
  unauthorized:
    'There is no credential, or it is expired, revoked, or for the other API: API tokens are for the ticket API alone.',
  unknown_host: 'This address is served, but not under the name that `Host` says.',
  unsupported_media_type: 'Send JSON as `application/json` in UTF-8, files as `multipart/form-data`.',
  unsubscribe_link_not_found: 'The link is older than a year, or not one of ours. Choose your e-mails in your account.',
  user_not_accepted:
    'Who has not accepted the invitation yet gets the link by e-mail alone, unless the address is of a proven domain. Invite again.',
  webhook_endpoint_changed:
    'Somebody changed the URL of the endpoint while you set its headers. Read it, and send them again if they are for that receiver.',
  webhook_endpoint_limit: 'A company has at most 10 endpoints: delete one.',
  webhook_redelivery_running: 'The endpoint has such a job already: wait until it is done.',
};

/** The note of all `<thing>_busy` codes. */
export const busyNote =
  'It is being changed by many requests at once. Try again after `Retry-After`; nothing was written.';

/** Errors of the gateway before a request reaches an operation: no operation lists them. */
export const gatewayErrors: Record<string, string> = {
  headers_too_large: '431',
  malformed_request: '400',
  method_not_allowed: '405',
  unknown_host: '404',
};
