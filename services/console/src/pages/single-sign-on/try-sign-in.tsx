import { ButtonLink } from '../../components/button.tsx';
import { Hint } from '../../components/layout/sections.tsx';
import { useSession } from '../../session/session.ts';
import { ssoStartUrl } from '../../session/sign-in/sso-start-url.ts';
import { useTexts } from './texts.ts';

/** A whole sign-in, as users of the company make it: the one test of client and secret that there is. */
export function TrySignIn() {
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
