import { type ReactNode, useState } from 'react';
import { ButtonLink } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { Copyable, DateTime } from '../../components/data-display/values.tsx';
import { Page } from '../../components/layout/page.tsx';
import { DescriptionList, Hint, Section } from '../../components/layout/sections.tsx';
import { ConfirmButton } from '../../components/overlays/confirm-button.tsx';
import { Loaded } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { ssoStartUrl } from '../../session/sign-in/sso-start-url.ts';
import { SettingsForm } from './settings-form.tsx';
import { callbackOf, type SingleSignOn, useEndSingleSignOn, useSingleSignOn } from './single-sign-on.ts';
import { useTexts } from './texts.ts';

export function SingleSignOnPage() {
  const texts = useTexts();
  // The key of the form. It changes once settings are stored, so that a new form shows them and no
  // longer holds the secret. Nothing else resets what was entered.
  const [form, setForm] = useState(0);
  const stored = (text: string) => {
    setForm(form + 1);
    announce(text);
  };
  return (
    <Page title={texts.title} intro={texts.intro} isNarrow>
      <Loaded query={useSingleSignOn()}>
        {(found) => (
          <>
            <State found={found} />
            <AtProvider found={found} />
            {found && <Domains found={found} />}
            <Section title={texts.settings}>
              <SettingsForm key={form} found={found} onSaved={() => stored(texts.saved)} />
            </Section>
            {found && <EndSingleSignOn onEnded={() => stored(texts.ended)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Props = { found: SingleSignOn | null };

function State({ found }: Props) {
  const texts = useTexts();
  return (
    <Section title={texts.state}>
      <div>{found ? <Badge family="success">{texts.on}</Badge> : <Badge family="neutral">{texts.off}</Badge>}</div>
      {found ? (
        <>
          <DescriptionList
            entries={[
              [texts.passwords, found.password_login ? texts.passwordsCount : texts.passwordsOff],
              [texts.changed, <DateTime key="changed" value={found.updated_at} />],
            ]}
          />
          <TrySignIn />
        </>
      ) : (
        <p>{texts.offHint}</p>
      )}
    </Section>
  );
}

function AtProvider({ found }: Props) {
  const texts = useTexts();
  const { company } = useSession();
  return (
    <Section title={texts.atProvider} hint={texts.atProviderHint}>
      <DescriptionList
        entries={[
          [texts.callback, <Copyable key="address" text={callbackOf(found, company.id)} name={texts.callback} />],
        ]}
      />
    </Section>
  );
}

/** Which domains count already, and the DNS records that prove the others. */
function Domains({ found: { domains } }: { found: SingleSignOn }) {
  const texts = useTexts();
  const isProven = domains.every(({ state }) => state !== 'unproven');
  return (
    <Section title={texts.domainProofs} hint={isProven ? undefined : texts.domainProofsHint}>
      {domains.map(({ domain, state, record }) => (
        <DescriptionList
          key={domain}
          entries={[
            [
              domain,
              <Badge key="state" family={state === 'unproven' ? 'warning' : 'success'}>
                {texts.domainStates[state]}
              </Badge>,
            ],
            ...(state === 'unproven' ? proofOf(record, texts) : []),
          ]}
        />
      ))}
    </Section>
  );
}

function proofOf({ name, value }: { name: string; value: string }, texts: ReturnType<typeof useTexts>) {
  return [
    [texts.recordName, <Copyable key="name" text={name} name={texts.recordName} />],
    [texts.recordValue, <Copyable key="value" text={value} name={texts.recordValue} />],
  ] satisfies [string, ReactNode][];
}

function EndSingleSignOn({ onEnded }: { onEnded: () => void }) {
  const texts = useTexts();
  const end = useEndSingleSignOn();
  // Not a callback of `mutate`: with the settings this is gone before it would run.
  const confirm = () => void end.mutateAsync().then(onEnded, () => undefined);
  return (
    <div>
      <ConfirmButton
        look={{ variant: 'danger' }}
        title={texts.endTitle}
        confirm={texts.end}
        sending={end}
        onConfirm={confirm}
      >
        {texts.endHint}
      </ConfirmButton>
    </div>
  );
}

/** A whole sign-in, as users of the company make it: the one test of client and secret that there is. */
function TrySignIn() {
  const texts = useTexts();
  const { company } = useSession();
  return (
    <>
      <div>
        <ButtonLink href={ssoStartUrl(company.id, '/users/single-sign-on')} target="_blank" aria-describedby="try-hint">
          {texts.try}
        </ButtonLink>
      </div>
      <Hint id="try-hint">{texts.tryHint}</Hint>
    </>
  );
}
