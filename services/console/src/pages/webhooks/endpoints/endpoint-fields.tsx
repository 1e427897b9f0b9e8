import { CheckboxGroup } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Loaded } from '../../../components/states.tsx';
import { Code } from '../code.tsx';
import { type Endpoint, type EventType, useEventTypes } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { badHeaderLine } from './custom-headers.ts';

/** The fields of a new or changed endpoint; `endpointInput` reads them. */
export function EndpointFields({ endpoint }: { endpoint?: Endpoint }) {
  const texts = useTexts();
  const names = endpoint?.headers.map(({ name }) => name).join(', ');
  const headersFault = (text: string) => {
    const line = badHeaderLine(text);
    return line === null ? null : texts.badHeader(line);
  };
  return (
    <>
      <Field
        label={texts.name}
        name="name"
        hint={texts.nameHint}
        defaultValue={endpoint?.name ?? ''}
        isRequired
        maxLength={100}
      />
      <Field
        label={texts.url}
        name="url"
        type="text"
        inputMode="url"
        hint={texts.urlHint}
        placeholder="https://"
        defaultValue={endpoint?.url ?? ''}
        isRequired
        maxLength={2048}
      />
      <Loaded query={useEventTypes()}>
        {(types) => (
          <>
            <CheckboxGroup
              label={texts.events}
              name="events"
              isRequired
              defaultValue={endpoint?.events ?? []}
              options={types.map(({ type, description }) => ({
                id: type,
                text: texts.sentences[type] ?? description,
                hint: type,
              }))}
            />
            <EventExamples types={types} />
          </>
        )}
      </Loaded>
      <Field
        label={texts.headers}
        name="headers"
        hint={names ? texts.headersKept(names) : texts.headersHint}
        validate={headersFault}
        isArea
        isCode
      />
    </>
  );
}

/** What an endpoint would receive: the body of each event, as the API gives it for an example. */
function EventExamples({ types }: { types: readonly EventType[] }) {
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
