/** E-mails as mail programs write answers, each in its own way. `words`: what the person wrote. */
export type Sample = { program: string; mime: string; words: string; files?: string[] };

const marker = '##- Please type your reply above this line -##';
const frMarker = '##- Écrivez votre réponse au-dessus de cette ligne -##';
const base64 = (text: string | Buffer) =>
  Buffer.from(text as string)
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n');
const quotedPrintable = (text: string, encoding: BufferEncoding = 'utf8') =>
  [...Buffer.from(text, encoding)]
    .map((byte) => {
      if (byte === 13 || byte === 10 || (byte >= 32 && byte < 127 && byte !== 61)) return String.fromCharCode(byte);
      return `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('')
    .replaceAll(/[^\r\n]{70}(?!\r\n)/g, (line) => (/=.?$/.test(line) ? line : `${line}=\r\n`));
const lines = (...all: string[]) => all.join('\r\n');

/** A picture of that many bytes. */
export const png = (bytes: number) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(bytes)]);

type Envelope = { from: string; to: string; id?: string; headers?: string[] };
let count = 0;
function nextId(): string {
  count += 1;
  return `${count}@program.test`;
}
const head = ({ from, to, id = nextId(), headers = [] }: Envelope, type: string) =>
  lines(
    'Return-Path: <somebody@elsewhere.test>',
    'Received: from somewhere by mx.test; Sat, 28 Nov 2026 10:12:00 +0100',
    `From: =?UTF-8?Q?L=C3=A9a?= Moreau <${from}>`,
    `To: "Facility" <${to}>`,
    `Message-ID: <${id}>`,
    'Subject: Re: [T-1] Leak',
    'Date: Sat, 28 Nov 2026 10:12:00 +0100',
    'MIME-Version: 1.0',
    ...headers,
    type,
    '',
    '',
  );

/** The simplest answer. */
export const plain = (envelope: Envelope, text: string) =>
  `${head(envelope, 'Content-Type: text/plain; charset=utf-8')}${text}\r\n`;

type Part = { type: string; body: string; encoding?: string; headers?: string[] };
const part = ({ type, body, encoding = '8bit', headers = [] }: Part) =>
  lines(`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, ...headers, '', body);
const multipart = (kind: string, boundary: string, parts: string[]) => ({
  type: `Content-Type: multipart/${kind}; boundary="${boundary}"`,
  body: `${parts.map((one) => `--${boundary}\r\n${one}\r\n`).join('')}--${boundary}--\r\n`,
});
const nested = ({ type, body }: ReturnType<typeof multipart>) => `${type}\r\n\r\n${body}`;

/** With files of these names and contents. */
export function withFiles(envelope: Envelope, text: string, files: { name: string; type: string; content: Buffer }[]) {
  const { type, body } = multipart('mixed', 'mixed-1', [
    part({ type: 'text/plain; charset=utf-8', body: text }),
    ...files.map((file) =>
      part({
        type: `${file.type}; name="${file.name}"`,
        encoding: 'base64',
        headers: [`Content-Disposition: attachment; filename="${file.name}"`],
        body: base64(file.content),
      }),
    ),
  ]);
  return `${head(envelope, type)}${body}`;
}

/** What a mail server reports of an e-mail that it could not deliver. */
export function report(envelope: Envelope, action: 'failed' | 'delayed') {
  const { type, body } = multipart('report; report-type=delivery-status', 'dsn', [
    part({ type: 'text/plain', body: 'I could not deliver your message.' }),
    part({
      type: 'message/delivery-status',
      body: lines(
        'Reporting-MTA: dns; mx.test',
        '',
        'Final-Recipient: rfc822; lea@acme.test',
        `Action: ${action}`,
        `Status: ${action === 'failed' ? '5.1.1' : '4.4.1'}`,
      ),
    }),
    part({ type: 'message/rfc822', body: lines('From: us@x.test', 'Subject: [T-1] Leak', '', marker) }),
  ]);
  return `${head({ ...envelope, headers: ['Auto-Submitted: auto-replied', ...(envelope.headers ?? [])] }, type)}${body}`;
}

export function samples(envelope: Envelope): Sample[] {
  const made = (program: string, { type, body }: { type: string; body: string }, words: string, files?: string[]) => {
    return { program, mime: `${head(envelope, type)}${body}`, words, ...(files ? { files } : {}) };
  };
  const single = (type: string, encoding: string, body: string) => {
    return { type: lines(`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`), body: `${body}\r\n` };
  };
  const gmail = lines(
    'The pump is fixed.',
    '',
    'On Sat, Nov 28, 2026 at 9:58 AM Facility <reply@x.test>',
    'wrote:',
    '',
    `> ${marker}`,
    '>',
    '> Ada Martin wrote a note',
  );
  const outlookFr =
    '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252"><style>p.MsoNormal{margin:0}</style></head><body lang="FR"><div class="WordSection1"><p class="MsoNormal">Bonjour,<o:p></o:p></p><p class="MsoNormal">C’est réparé&nbsp;: le joint était usé.<o:p></o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal"><b>De&nbsp;:</b> Facility &lt;reply@x.test&gt;<br><b>Envoyé&nbsp;:</b> samedi 28 novembre 2026 09:58<br><b>À&nbsp;:</b> Léa Moreau<br><b>Objet&nbsp;:</b> [T-1] Fuite<o:p></o:p></p></div><p class="MsoNormal">Ada Martin a écrit une note<o:p></o:p></p></div></body></html>';
  const outlookText = lines(
    'Done, see the picture.',
    '',
    'Get Outlook for iOS<https://aka.ms/o0ukef>',
    '________________________________',
    'From: Facility <reply@x.test>',
    'Sent: Saturday, November 28, 2026 9:58:00 AM',
    'To: Léa Moreau <lea@acme.test>',
    'Subject: [T-1] Leak',
    '',
    marker,
  );
  const apple = lines(
    'Bonjour Ada,',
    '',
    'Je passe lundi.',
    '',
    'Envoyé de mon iPhone',
    '',
    '> Le 28 nov. 2026 à 09:58, Facility <reply@x.test> a écrit :',
    '> ',
    `> ${frMarker}`,
  );
  const thunderbird = lines(
    'Le 28/11/2026 à 09:58, Facility a écrit\u00a0:',
    `> ${frMarker}`,
    '>',
    '> Pouvez-vous passer lundi ?',
    '',
    'Oui, à 8 h.',
    '',
    '> Et apporter le joint ?',
    '',
    'Aussi.',
    '',
    '-- ',
    'Léa Moreau',
    'Moreau & fils',
  );
  const yahoo = lines(
    'On it.',
    '',
    'Sent from Yahoo Mail on Android',
    '',
    '  On Sat, 28 Nov 2026 at 9:58, Facility<reply@x.test> wrote:',
    `  ${marker}`,
  );
  const k9 = lines(
    'Le joint est commandé.',
    '-- ',
    'Envoyé de mon appareil Android avec Courriel K-9 Mail. Veuillez excuser ma brièveté.',
  );
  const photo = png(40_000);
  return [
    made(
      'Gmail on the web, both forms, wrapped attribution',
      multipart('alternative', '0001', [
        part({ type: 'text/plain; charset="UTF-8"', body: gmail }),
        part({
          type: 'text/html; charset="UTF-8"',
          encoding: 'quoted-printable',
          body: quotedPrintable('<div dir="ltr">The pump is fixed.</div><div class="gmail_quote">On Sat</div>'),
        }),
      ]),
      'The pump is fixed.',
    ),
    made(
      'Outlook in French, HTML alone, windows-1252',
      single(
        'text/html; charset="windows-1252"',
        'quoted-printable',
        quotedPrintable(outlookFr.replaceAll('’', "'"), 'latin1'),
      ),
      "Bonjour,\n\nC'est réparé : le joint était usé.",
    ),
    made(
      'Outlook for phones, base64, with a photo and a logo within its HTML',
      multipart('related', 'rel', [
        nested(
          multipart('alternative', 'alt', [
            part({ type: 'text/plain; charset=utf-8', encoding: 'base64', body: base64(outlookText) }),
            part({
              type: 'text/html; charset=utf-8',
              encoding: 'base64',
              body: base64('<p>Done</p><img src="cid:a">'),
            }),
          ]),
        ),
        part({
          type: 'image/png; name="photo.png"',
          encoding: 'base64',
          headers: ['Content-ID: <a>', 'Content-Disposition: inline; filename="photo.png"'],
          body: base64(photo),
        }),
        part({
          type: 'image/png; name="logo.png"',
          encoding: 'base64',
          headers: ['Content-ID: <b>', 'Content-Disposition: inline; filename="logo.png"'],
          body: base64(png(900)),
        }),
      ]),
      'Done, see the picture.',
      ['photo.png'],
    ),
    made(
      'Apple Mail on a phone, in French, quoted-printable',
      single('text/plain; charset=utf-8', 'quoted-printable', quotedPrintable(apple)),
      'Bonjour Ada,\n\nJe passe lundi.',
    ),
    made(
      'Thunderbird, words below and between what is quoted, latin1',
      single(
        'text/plain; charset=ISO-8859-1; format=flowed',
        'quoted-printable',
        quotedPrintable(thunderbird.replaceAll('’', "'"), 'latin1'),
      ),
      'Oui, à 8 h.\n\n\nAussi.',
    ),
    made('Yahoo on Android', single('text/plain; charset=UTF-8', '8bit', yahoo), 'On it.'),
    made('K-9 Mail in French', single('text/plain; charset=utf-8', 'base64', base64(k9)), 'Le joint est commandé.'),
    made(
      'a sentence that begins as an attribution does',
      single('text/plain; charset=utf-8', '8bit', lines('On Monday I wrote:', 'the pump leaks', 'Le joint est usé.')),
      'On Monday I wrote:\nthe pump leaks\nLe joint est usé.',
    ),
  ];
}

/** Nested more deeply than any mail program does. */
export function deep(envelope: Envelope, depth: number) {
  let inner = part({ type: 'text/plain', body: 'deep' });
  for (let level = 1; level < depth; level += 1) inner = nested(multipart('mixed', `b${level}`, [inner]));
  const { type, body } = multipart('mixed', `b${depth}`, [inner]);
  return `${head(envelope, type)}${body}`;
}
