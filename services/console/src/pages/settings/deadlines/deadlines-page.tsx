import { Page } from '../../../components/layout/page.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useParents } from '../entries.ts';
import { useClockSettings } from './clock-settings.ts';
import { HoursOfPlaces } from './hours-of-places.tsx';
import { Policies } from './policies.tsx';
import { useTexts } from './texts.ts';

export function DeadlinesPage() {
  const texts = useTexts();
  const [places, domains] = [useParents('locations'), useParents('domains')];
  const optionsOf = (all: { id: string; name: string }[] = []) => all.map(({ id, name }) => ({ id, text: name }));
  const choices = { places: optionsOf(places.data), domains: optionsOf(domains.data) };
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={useClockSettings()}>
        {(found) => (
          <>
            <Policies found={found} {...choices} />
            <HoursOfPlaces found={found} places={choices.places} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
