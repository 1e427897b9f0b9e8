import { useId } from 'react';
import { asEscapes } from '../../../api/bidi-controls.ts';
import { Button } from '../../../components/button.tsx';
import { announce } from '../../../session/actions.ts';
import { Code } from '../code.tsx';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import type { DeliveryWithBody } from './attempt-list.tsx';
import { attemptWords } from './attempt-words.ts';
import { curlOf } from './curl.ts';

type Attempt = DeliveryWithBody['attempts'][number];
type Props = { delivery: DeliveryWithBody; attempt: Attempt | undefined; url: string };

/** The request and response of an attempt. A response is always shown as text, never as HTML. */
export function Exchange({ delivery, attempt, url }: Props) {
  const texts = useTexts();
  const [request, response] = [useId(), useId()];
  return (
    <div className={styles['section']}>
      <section aria-labelledby={request} className={styles['section']}>
        <div className={styles['sectionHead']}>
          <h2 id={request}>{texts.request}</h2>
          {attempt?.requestHeaders && url !== '' && (
            <CopyCurl request={{ url, headers: attempt.requestHeaders, body: delivery.body }} />
          )}
        </div>
        {attempt?.requestHeaders ? (
          <Code>{headerLines(attempt.requestHeaders)}</Code>
        ) : (
          <p className={styles['small']}>{texts.noRequest}</p>
        )}
        <h3>{texts.body}</h3>
        <Code>{readable(delivery.body)}</Code>
      </section>
      <section aria-labelledby={response} className={styles['section']}>
        <h2 id={response}>{texts.response}</h2>
        {attempt && <p>{attemptWords(attempt, texts)}</p>}
        {attempt?.responseBody ? (
          <>
            <Code>{asEscapes(attempt.responseBody)}</Code>
            <p className={styles['small']}>{texts.responseCut}</p>
          </>
        ) : (
          <p className={styles['small']}>{attempt?.statusCode == null ? texts.noResponse : texts.emptyResponse}</p>
        )}
      </section>
    </div>
  );
}

function CopyCurl({ request }: { request: Parameters<typeof curlOf>[0] }) {
  const texts = useTexts();
  const copy = async () => {
    await navigator.clipboard.writeText(curlOf(request));
    announce(texts.copied);
  };
  return <Button onPress={() => void copy()}>{texts.copyCurl}</Button>;
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** The body, pretty-printed if it is JSON. The copy button has the bytes as they were sent. */
function readable(body: string): string {
  try {
    return asEscapes(JSON.stringify(JSON.parse(body), null, 2));
  } catch {
    return asEscapes(body);
  }
}
