import { Badge, StatusBadge } from '../../../../components/data-display/badge.tsx';
import { deliveryStatuses, endpointHealth } from '../../../../words/status-words.ts';
import { type Endpoint, useLastDay } from '../../endpoints.ts';
import { useTexts } from '../../texts.ts';
import { nothingArrives } from './nothing-arrives.ts';

type Hours = Parameters<typeof nothingArrives>[0];

/** The code of an endpoint's health and its words; null: it is paused, and neither healthy nor failing. */
export function healthOf({ active, health }: Pick<Endpoint, 'active' | 'health'>, hours: Hours) {
  if (!active && health !== 'disabled') return null;
  // If all recent attempts failed, and the API does not call the endpoint failing yet.
  if (health === 'ok' && nothingArrives(hours)) return { words: deliveryStatuses, code: 'failed' } as const;
  return { words: endpointHealth, code: health };
}

export function Health({ endpoint }: { endpoint: Pick<Endpoint, 'id' | 'active' | 'health'> }) {
  const texts = useTexts();
  const { data: hours = [] } = useLastDay(endpoint.id);
  const shown = healthOf(endpoint, hours);
  return shown ? <StatusBadge {...shown} /> : <Badge family="neutral">{texts.pausedWord}</Badge>;
}
