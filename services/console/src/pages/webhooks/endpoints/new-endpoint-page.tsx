import { useLocation } from 'wouter';
import { Form } from '../../../components/forms/form.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { OneTimeSecret } from '../../../components/overlays/one-time-secret.tsx';
import { useCreateEndpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import { EndpointFields } from './endpoint-fields.tsx';
import { endpointInput } from './endpoint-input.ts';

/** In the guide, which the gateway serves beside the console: receivers that verify, in five languages. */
const verifiers = '/guide/webhooks#verify-the-signature';

export function NewEndpointPage() {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const create = useCreateEndpoint();
  return (
    <Page title={texts.add} isNarrow>
      <Form
        submit={texts.create}
        sending={create}
        onSubmit={(values) => create.mutate(endpointInput(values))}
        cancelTo="/webhooks"
      >
        <EndpointFields />
      </Form>
      <OneTimeSecret
        title={texts.secretTitle}
        secret={create.data?.secret ?? null}
        onDone={() => navigate(`/webhooks/${create.data?.id}`)}
      >
        {texts.secretWhy}{' '}
        <a href={verifiers} target="_blank" rel="noopener">
          {texts.verifyLink}
        </a>
      </OneTimeSecret>
    </Page>
  );
}
