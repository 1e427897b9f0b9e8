import { Badge } from '../../components/data-display/badge.tsx';
import type { Family } from '../../words/family.ts';
import { useTexts } from './texts.ts';
import type { User } from './users.ts';

/** What matters most of a user. `text` names its words. */
export function statusOf({ active, invited, invitation, erasure, mail_bounced_at }: User) {
  const is = <Text extends string>(family: Family, text: Text) => ({ family, text });
  if (erasure?.state === 'running') return is('warning', 'beingErased');
  if (erasure) return is('neutral', 'erased');
  if (!active) return is('neutral', 'inactive');
  if (invitation?.state === 'failed') return is('warning', 'notDelivered');
  if (mail_bounced_at) return is('warning', 'bounced');
  return invited ? is('info', 'invited') : is('success', 'active');
}

export function UserStatus({ user }: { user: User }) {
  const texts = useTexts();
  const { family, text } = statusOf(user);
  return <Badge family={family}>{texts[text]}</Badge>;
}
