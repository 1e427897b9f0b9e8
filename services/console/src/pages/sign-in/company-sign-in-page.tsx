import { useSearchParams } from 'wouter';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Loaded } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { useAskedSso } from '../../session/sign-in/sso-start.ts';
import { SignedOutPage } from './signed-out-page.tsx';

/**
 * Where links to a sign-in at a company lead, also those of other sites: whoever followed one sees which company and
 * which provider it is before the browser goes there.
 */
export function CompanySignInPage() {
  const texts = useFrameTexts();
  const [params] = useSearchParams();
  const asked = useAskedSso(Object.fromEntries(params));
  return (
    <SignedOutPage title={texts.signIn}>
      <Loaded query={asked}>
        {({ company, provider, url }) => (
          <>
            <p>{texts.companySignIn(company.name, provider)}</p>
            <Button variant="primary" onPress={() => location.assign(url)}>
              {texts.continue}
            </Button>
          </>
        )}
      </Loaded>
      <ButtonLink href="/login">{texts.cancel}</ButtonLink>
    </SignedOutPage>
  );
}
