import { Badge, StatusBadge } from '../../../../components/data-display/badge.tsx';
import { deliveryStatuses, endpointHealth } from '../../../../words/status-words.ts';
import { type Endpoint, useLastDay } from '../../endpoints.ts';
import { useTexts } from '../../texts.ts';
import { nothingArrives } from './nothing-arrives.ts';

type HealthProps = { endpoint: Pick<Endpoint, 'id' | 'active' | 'health'> };

/**
 * The health of an endpoint. A paused endpoint is shown as neither healthy nor failing. If all
 * recent attempts failed, and the API does not call the endpoint failing yet, it shows `failed`.
 */
export function Health({ endpoint: { id, active, health } }: HealthProps) {
  const texts = useTexts();
  const { data: hours = [] } = useLastDay(id);
  if (!active && health !== 'disabled') return <Badge family="neutral">{texts.pausedWord}</Badge>;
  if (health === 'ok' && nothingArrives(hours)) return <StatusBadge words={deliveryStatuses} code="failed" />;
  return <StatusBadge words={endpointHealth} code={health} />;
}
