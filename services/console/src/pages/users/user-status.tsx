import { Badge } from '../../components/data-display/badge.tsx';
import { useTexts } from './texts.ts';
import type { User } from './users.ts';

export function UserStatus({ user: { active, invited, invitation, erasure, mail_bounced_at } }: { user: User }) {
  const texts = useTexts();
  if (erasure?.state === 'running') return <Badge family="warning">{texts.beingErased}</Badge>;
  if (erasure) return <Badge family="neutral">{texts.erased}</Badge>;
  if (!active) return <Badge family="neutral">{texts.inactive}</Badge>;
  if (invitation?.state === 'failed') return <Badge family="warning">{texts.notDelivered}</Badge>;
  if (mail_bounced_at) return <Badge family="warning">{texts.bounced}</Badge>;
  return invited ? <Badge family="info">{texts.invited}</Badge> : <Badge family="success">{texts.active}</Badge>;
}
