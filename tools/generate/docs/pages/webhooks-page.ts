import { basename } from 'node:path';
import { eventsOfOperations, furtherWebhooks, webhookCatalogue, webhookHeaders } from '@app/contracts';
import { loadSettings } from '../../../../services/webhook-dispatcher/config.ts';
import { headerLimits } from '../../../../services/webhook-dispatcher/endpoints/custom-header.ts';
import { disableAfter, maxEndpoints } from '../../../../services/webhook-dispatcher/endpoints/endpoint.ts';
import { code, heading, listed, table } from '../markdown.ts';

/** The snippets and receivers of sdk/webhook-verifier. A test runs those whose language is installed. */
const languages = [
  ['Node, without the package', 'webhooks.mjs', 'receiver.mjs', 'node receiver.mjs'],
  ['Python', 'webhooks.py', 'receiver.py', 'python3 receiver.py'],
  ['PHP', 'webhooks.php', 'receiver.php', 'php -S 127.0.0.1:8080 receiver.php'],
  ['Go', 'webhooks/webhooks.go', 'receiver.go', 'go mod init receiver && go run .'],
  ['Java', 'Webhooks.java', 'Receiver.java', 'javac *.java && java Receiver'],
] as const;

const lines = {
  intro: `A company registers HTTPS endpoints on the second API (\`POST /webhooks/endpoints\`, at most ${maxEndpoints}) and names the
event types that each is to hear. Every event is a POST of JSON with one shape:
\`{event, created_at, data: {ticket: {id, number, title}, <one key of its own>}}\`.

- Answer 2xx within the time allowed; do the work afterwards. A redirect is a failure.
- Delivery is at least once and unordered: skip a delivery id that you have seen. \`created_at\` is later for a later change of a ticket: keep that of what you applied last, and skip a
  status that is older.
- You hear of what your company may see, and of nothing else.
- Choosing the events or the URL of an endpoint needs \`api_webhooks\` and \`tickets\`: what it hears is what that user may read. Notes for managers
  go to endpoints whose URL an admin has set; if somebody else sets another one, those that wait or are sent again are canceled. In the log admins alone read them.
- Fields may be added within a version: ignore those that you do not know.`,
  headers: table(
    ['header', 'content'],
    Object.entries(webhookHeaders).map(([name, content]) => [`\`${name}\``, content]),
  ),
  ownHeaders: `An endpoint may have headers of its own, for a gateway that wants a key: \`"headers": [{"name": "X-Api-Key", "value": "…"}]\`
at its creation or by PATCH, which replaces all of them. A \`url\` of another origin drops them, unless they come with it: the
answer has \`droppedHeaders\`. At most ${headerLimits.count}, with names of ${headerLimits.name} and values of ${spelled(headerLimits.value)} visible ASCII
characters, ${spelled(headerLimits.total)} in all; none of those above, nor \`Host\`, \`User-Agent\`, \`Accept\`, \`Accept-Encoding\`, \`Content-…\`, \`Proxy-…\` or those of the
connection. The API shows the names alone. They do not replace the signature.`,
  verify: `Compute HMAC-SHA256 of \`<t>.<raw body>\` with the endpoint's secret, compare in constant time, and refuse what is older than 300
seconds. Take the bytes as they came: a body that was parsed and written again has others. Accept the request if any \`v1\` of the header
matches. The secret (\`whsec_…\`, used whole) is shown once; after a leak delete the endpoint and create a new one.

In Node, [sdk/webhook-verifier](../sdk/webhook-verifier/README.md) does it:`,
  receivers: `needs nothing but the standard library: it reads the raw body, verifies it, stores it under its delivery id unless it is there already, and answers.
\`PORT\`, \`WEBHOOK_SECRET\` and \`INBOX\`, a folder that exists, come from the environment. Have HTTPS, and a limit for bodies, in a proxy before it.
Another program works on the files; keep them for 90 days, in which a delivery may be sent again.`,
  events: `\`GET /webhooks/event-types\` gives them with their JSON Schema; the OpenAPI document of the second API has them in its section \`webhooks\`.
The first example is whole; the others show what their \`data\` has beside \`ticket\`.`,
  local: `\`npm start\` in one terminal, \`npm run demo -- listen\` in another: it receives at \`https://127.0.0.1:8443/webhooks\` with a certificate that the platform on
this machine trusts, prints every webhook and says of each whether it is genuine. It registers nothing; subscribe its address,
with the session of the [quick start](quick-start.md):`,
};

const usePackage = `import { createReplayMemory, verifyWebhook } from '@facility-platform/webhook-verifier';

// What was accepted is refused when it comes again, byte by byte.
const replays = createReplayMemory();

const { event, created_at, data, delivery } = verifyWebhook(rawBody, request.headers, process.env.WEBHOOK_SECRET, {
  replays,
});`;

const subscribeLocally = `curl -sS -b session.txt $TS/webhooks/endpoints -H 'Content-Type: application/json' \\
  -d '{"name": "local", "url": "https://127.0.0.1:8443/webhooks", "events": ["ticket.status_changed"]}'`;

/** The guide shows the code of the links below it (tools/generate/guide/page-content.ts). */
const verifier = '../sdk/webhook-verifier';

/** The guide of those who receive webhooks. */
export function webhooksPage(): string {
  return [
    heading('Webhooks', 'libs/contracts (fixtures), sdk/webhook-verifier and services/webhook-dispatcher'),
    lines.intro,
    `\n## Headers\n\n${lines.headers}\n\n${lines.ownHeaders}`,
    `\n## Verify the signature\n\n${lines.verify}\n\n${code('js', usePackage)}`,
    "\nStripe's libraries verify it too: the scheme is the same. In other languages there is a function below, and a whole receiver that",
    lines.receivers,
    ...languages.map(([name, file, receiver, start]) =>
      [
        `\n### ${name}\n\n[${file}](${verifier}/snippets/${basename(file)})`,
        `\n[${receiver}](${verifier}/receivers/${receiver}), started by \`${start}\``,
      ].join('\n'),
    ),
    `\n## When a delivery fails\n\n${retries()}`,
    `\n## Try it on your machine\n\n${lines.local}\n\n${code('sh', subscribeLocally)}`,
    '\nThen type the secret of the answer into its terminal. `npm run demo -- listen --status 500` shows you how retries come; `POST',
    '/webhooks/endpoints/:id/test` sends a `webhook.test` at once; the answer has its `deliveryId`.',
    `\n## Events\n\n${lines.events}`,
    ...webhookCatalogue.map(described),
    '\n## Further events\n\nThey are beyond the specification, and in `further` of `GET /webhooks/event-types`: an endpoint gets them if it names them.',
    'They come within a minute of their time ([Deadlines](tickets.md#deadlines)).',
    ...furtherWebhooks.map((webhook) => described(webhook, 1)),
    `\n## Which operation causes which events\n\n${causes()}`,
  ]
    .join('\n')
    .concat('\n');
}

function described({ event, description, example }: (typeof webhookCatalogue)[number], index: number): string {
  return `\n### ${event}\n\n${description}\n\n${code('json', pretty(index === 0 ? example : ownOf(example)))}`;
}

/** What an example has beside the parts that all events have. */
function ownOf({ data }: { data: object }): unknown {
  const { ticket, ...own } = data as Record<string, unknown>;
  return ticket === undefined ? { data: own } : own;
}

function causes(): string {
  const told = eventsOfOperations.map(({ operation, events, sometimes = {} }) => {
    const always = events.map((event) => `\`${event}\``);
    const perhaps = Object.entries(sometimes).map(([event, when]) => `\`${event}\`, ${when}`);
    return { operation, events: [...always, ...perhaps].join('; ') };
  });
  const rows = [...Map.groupBy(told, ({ events }) => events)].map(([events, some]) => [
    events,
    listed(some.map(({ operation }) => operation.replace('/api/v3.0/tickets/{ticket_id}', '…'))),
  ]);
  return [
    'Other operations cause none, and neither does what repeats what is so already. Each company hears of what it may see. `…` is',
    '`/api/v3.0/tickets/{ticket_id}`.\n',
    table(['events', 'operations'], rows),
    '\nLater, by themselves: `ticket.status_changed` when a proposal expires or a date has passed; `ticket.invoice_added` when matching finds the',
    'ticket of an invoice. A contractor that gets an account (`company_id` in the directory) hears of its tickets by `ticket.status_changed`, and',
    'whoever becomes the supplier of an order that there was before, by `ticket.purchase_added` and, if it has a file, `ticket.document_added`.',
  ].join('\n');
}

function retries(): string {
  const { WEBHOOK_RETRY_DELAYS: delaysMs, WEBHOOK_TIMEOUT: timeoutMs } = defaults();
  let sinceFirstMs = 0;
  const rows = delaysMs.map((delayMs, index) => {
    sinceFirstMs += delayMs;
    return [String(index + 2), `${spoken(delayMs)} after the one before`, `${spoken(sinceFirstMs)} after the first`];
  });
  return [
    `An attempt fails unless a 2xx and its body arrive within ${spoken(timeoutMs)}, from DNS to the last byte. Then:\n`,
    table(['attempt', 'when', 'in all, at the earliest'], [['1', 'at once', ''], ...rows]),
    `\nAfter attempt ${delaysMs.length + 1} the delivery is \`exhausted\`; ${disableAfter} exhausted deliveries in a row disable the endpoint.`,
    'The log keeps everything for 90 days. `…` is `/webhooks/endpoints/:id`:\n',
    '- `GET …/deliveries`: filtered by `status`, `event`, `ticket` (its id), `since` and `until`, page by page (`cursor`, `nextCursor`)',
    '- `GET …/deliveries/:deliveryId`: with the body, and the headers of each attempt',
    '- `POST …/deliveries/:deliveryId/redeliver`: sends one again',
    '- `POST …/recover`: sends again all that were missed since a moment; with `dryRun` it says how many',
    '- `POST …/redeliveries`: sends again all that a filter finds, with a `status`; a job, whose `GET …/redeliveries/:redeliveryId` tells how far it is',
    '- `GET …/stats`: attempts over time by what came of them, and how long 95 % of them took, at most 19 % too high; `since`, `until` and a `bucket`',
    '  of `5m`, `15m`, `1h`, `6h` or `1d`, at most 200 of them',
  ].join('\n');
}

/** The dispatcher's own defaults. */
function defaults() {
  return loadSettings({
    OPS_PORT: '1',
    PORT: '1',
    MONGODB_URL: 'mongodb://docs',
    AMQP_URL: 'amqp://docs',
    INTERNAL_TOKEN_PUBLIC_KEYS: 'docs',
    CREDENTIALS_KEYS: `docs:${Buffer.alloc(32).toString('base64')}`,
  });
}

function spoken(durationMs: number): string {
  const minutes = durationMs / 60_000;
  if (minutes < 1) return `${durationMs / 1000} s`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}

/** With commas: 4,096. */
function spelled(count: number): string {
  return count.toLocaleString('en');
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
