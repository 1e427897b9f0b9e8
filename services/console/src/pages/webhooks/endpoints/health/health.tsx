import { Badge, StatusBadge } from '../../../../components/data-display/badge.tsx';
import { endpointHealth } from '../../../../words/status-words.ts';
import type { Endpoint } from '../../endpoints.ts';
import { useTexts } from '../../texts.ts';

/** The health of an endpoint. A paused one is neither healthy nor failing. */
export function Health({ endpoint: { active, health } }: { endpoint: Pick<Endpoint, 'active' | 'health'> }) {
  const texts = useTexts();
  if (!active && health !== 'disabled') return <Badge family="neutral">{texts.pausedWord}</Badge>;
  return <StatusBadge words={endpointHealth} code={health} />;
}
