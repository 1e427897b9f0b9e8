import { Code } from '../code.tsx';
import type { EventType } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';

/** What an endpoint would receive: the body of each event, as the API gives it for an example. */
export function EventExamples({ types }: { types: readonly EventType[] }) {
  const texts = useTexts();
  return (
    <details>
      <summary>{texts.samples}</summary>
      <dl className={styles['samples']}>
        {types.map(({ type, description, example }) => (
          <div key={type}>
            <dt>{texts.sentences[type] ?? description}</dt>
            <dd>
              <Code>{JSON.stringify(example, null, 2)}</Code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
