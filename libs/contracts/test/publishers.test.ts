import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventTypes, platformPublishers } from '../index.ts';

test('every event type has publishers, and the service of its example is one of them', () => {
  for (const type of eventTypes.keys()) {
    const { source } = JSON.parse(readFileSync(join(__dirname, '../fixtures', `${type}.json`), 'utf8')) as {
      source: string;
    };
    const publishers = Object.keys(platformPublishers).filter((service) =>
      platformPublishers[service]?.some((one) => one.type === type),
    );
    expect([type, publishers]).toEqual([type, expect.arrayContaining([source.replace('/services/', '')])]);
  }
});
