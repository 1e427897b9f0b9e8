import { useState } from 'react';
import { Badge } from '../../../components/data-display/badge.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { type Verdict, verifySignature } from './verify-signature.ts';

/** Finds out why a receiver refuses a webhook. All of it runs in the browser. */
export function VerifyTab() {
  const texts = useTexts();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const check = async (values: FormData) => {
    const text = (name: string) => String(values.get(name) ?? '');
    const given = { header: text('header'), body: text('body'), secret: text('secret').trim(), now: new Date() };
    setVerdict(await verifySignature(given));
  };
  return (
    <div className={styles['narrow']}>
      <Form submit={texts.check} onSubmit={(values) => void check(values)}>
        <p>{texts.verifyIntro}</p>
        <Field label={texts.signatureHeader} name="header" isCode isRequired placeholder="t=…,v1=…" />
        <Field label={texts.rawBody} name="body" hint={texts.rawBodyHint} isArea isCode isRequired />
        <Field label={texts.secret} name="secret" type="password" isCode isRequired autoComplete="off" />
        <div role="status">{verdict && <Result verdict={verdict} />}</div>
      </Form>
    </div>
  );
}

function Result({ verdict }: { verdict: Verdict }) {
  const texts = useTexts();
  const { locale } = useLocale();
  if (verdict.kind === 'valid') return <Badge family="success">{texts.valid}</Badge>;
  if (verdict.kind === 'tooOld')
    return <Badge family="warning">{texts.tooOld(formatNumber(verdict.ageS, locale))}</Badge>;
  return <Badge family="danger">{texts[verdict.kind]}</Badge>;
}
