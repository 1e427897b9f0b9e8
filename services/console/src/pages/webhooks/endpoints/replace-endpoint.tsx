import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Form, textOf } from '../../../components/forms/form.tsx';
import { OneTimeSecret } from '../../../components/overlays/one-time-secret.tsx';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import { ErrorNote, Loaded } from '../../../components/states.tsx';
import { attemptWords } from '../deliveries/attempt-words.ts';
import { type Endpoint, useCreateEndpoint, useEndpoints, useTestEndpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { badHeaderLine, headersOf } from './custom-headers.ts';
import { DeleteEndpoint } from './delete-endpoint-dialog.tsx';

/**
 * Changes the secret in three steps: a second endpoint with the same settings, a test of it, and the removal of the
 * old one.
 */
export function ReplaceEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles['replace']}>
      <p className={styles['small']}>{texts.replaceWhy}</p>
      <Button onPress={() => setOpen(true)}>{texts.replace}</Button>
      <Dialog title={texts.replaceTitle} isOpen={isOpen} onOpenChange={setOpen}>
        <Steps endpoint={endpoint} />
      </Dialog>
    </div>
  );
}

function Steps({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const endpoints = useEndpoints();
  const create = useCreateEndpoint();
  const [isStored, setStored] = useState(false);
  const [isTested, setTested] = useState(false);
  const made = create.data;
  return (
    <Loaded query={endpoints} rows={2}>
      {(all) => {
        const replacement = made ?? replacementIn(all, endpoint, texts.replacementName);
        const isReady = replacement && (isStored || !made);
        return (
          <ol className={styles['steps']}>
            <li className={styles['step']}>
              <p>{texts.replaceMake}</p>
              {replacement ? (
                <span className={styles['stepDone']}>{texts.replacementMade}</span>
              ) : (
                <MakeReplacement endpoint={endpoint} create={create} />
              )}
            </li>
            <li className={styles['step']}>
              <p>{texts.replaceTest}</p>
              {isReady && <TestReplacement id={replacement.id} onTested={setTested} />}
            </li>
            <li className={styles['step']}>
              <p>{texts.replaceEnd}</p>
              {isReady && (
                <DeleteEndpoint
                  endpoint={endpoint}
                  warning={isTested ? null : texts.replacementUntested}
                  to={`/webhooks/${replacement.id}`}
                >
                  {texts.deleteOld}
                </DeleteEndpoint>
              )}
            </li>
            <OneTimeSecret
              title={texts.secretTitle}
              secret={made && !isStored ? made.secret : null}
              onDone={() => setStored(true)}
            >
              {texts.secretWhy}
            </OneTimeSecret>
          </ol>
        );
      }}
    </Loaded>
  );
}

type MakeReplacementProps = { endpoint: Endpoint; create: ReturnType<typeof useCreateEndpoint> };

/**
 * Makes the replacement. The API never returns the values of custom headers, so the user must enter
 * them again.
 */
function MakeReplacement({ endpoint, create }: MakeReplacementProps) {
  const texts = useTexts();
  const { name, url, events } = endpoint;
  const names = endpoint.headers.map((header) => header.name);
  const [missing, setMissing] = useState<string[]>([]);
  const submit = (values: FormData) => {
    const headers = headersOf(textOf(values, 'headers') ?? '');
    const left = names.filter((one) => !headers.some((given) => given.name.toLowerCase() === one.toLowerCase()));
    setMissing(left);
    if (left.length > 0) return;
    const body = { name: replacementNameOf(name, texts.replacementName), url, events };
    create.mutate({ ...body, ...(headers.length > 0 && { headers }) });
  };
  const headersFault = (text: string) => {
    const line = badHeaderLine(text);
    return line === null ? null : texts.badHeader(line);
  };
  return (
    <Form submit={texts.makeReplacement} sending={create} onSubmit={submit} isMinor>
      {names.length > 0 && (
        <Field
          label={texts.headers}
          name="headers"
          hint={texts.replacementHeaders(names.join(', '))}
          validate={headersFault}
          isArea
          isCode
          isRequired
        />
      )}
      {missing.length > 0 && <ErrorNote error={new Error('missing')} text={texts.headersMissing(missing.join(', '))} />}
    </Form>
  );
}

const maxName = 100;

function replacementNameOf(name: string, naming: (name: string) => string): string {
  return naming(name).slice(0, maxName);
}

/**
 * The replacement that was made before, perhaps by a colleague: it is found by the name of a
 * replacement and the same URL.
 */
function replacementIn(
  all: Endpoint[],
  { id, name, url }: Endpoint,
  naming: (name: string) => string,
): Endpoint | undefined {
  return all.find((one) => one.id !== id && one.url === url && one.name === replacementNameOf(name, naming));
}

type TestReplacementProps = { id: string; onTested: (isSuccess: boolean) => void };

function TestReplacement({ id, onTested }: TestReplacementProps) {
  const texts = useTexts();
  const test = useTestEndpoint(id);
  const result = test.data;
  const send = () => test.mutate(undefined, { onSuccess: ({ success }) => onTested(success) });
  return (
    <>
      <Button isPending={test.isPending} onPress={send}>
        {texts.test}
      </Button>
      <ErrorNote error={test.error} faultsAreElsewhere={false} />
      <div role="status">
        {result?.success && texts.tested(result.statusCode ?? 0)}
        {result && !result.success && texts.testFailed(attemptWords(result, texts))}
      </div>
    </>
  );
}
