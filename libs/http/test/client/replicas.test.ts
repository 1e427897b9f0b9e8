import { createReplicas } from '../../client/replicas.ts';

/** Replicas with a DNS and a clock that the test controls. */
function resolved(...first: string[]) {
  const dns = { addresses: first, asked: 0, isDown: false };
  let at = 0;
  const replicas = createReplicas('ticket', {
    now: () => at,
    lookup: async () => {
      dns.asked += 1;
      if (dns.isDown) throw new Error('SERVFAIL');
      return dns.addresses;
    },
  });
  const after = async (ms: number) => {
    at += ms;
    replicas.next();
    await new Promise(setImmediate);
  };
  const spread = (count: number, tried?: Set<string>) =>
    [
      ...Map.groupBy(
        Array.from({ length: count }, () => replicas.next(tried)),
        (one) => one,
      ),
    ]
      .map(([address, all]) => [address, all.length])
      .sort();
  return { replicas, dns, after, spread };
}

test('requests are spread over the addresses of the name', async () => {
  const { after, spread } = resolved('10.0.0.3', '10.0.0.1', '10.0.0.2', '10.0.0.1');
  await after(0);
  expect(spread(300)).toEqual([
    ['10.0.0.1', 100],
    ['10.0.0.2', 100],
    ['10.0.0.3', 100],
  ]);
});

test('until DNS has answered the name itself is used, and nobody waits', () => {
  expect(resolved('10.0.0.1').replicas.next()).toBe('ticket');
});

test('the name is looked up twice a second while there are requests, once at a time', async () => {
  const { dns, after, spread } = resolved('10.0.0.1');
  await after(0);
  spread(100);
  expect(dns.asked).toBe(1);
  await after(499);
  expect(dns.asked).toBe(1);
  await after(1);
  expect(dns.asked).toBe(2);
});

test('a replica that DNS no longer names gets nothing, a new one its share', async () => {
  const { dns, after, spread } = resolved('10.0.0.1', '10.0.0.2');
  await after(0);
  dns.addresses = ['10.0.0.2', '10.0.0.3'];
  await after(500);
  expect(spread(100)).toEqual([
    ['10.0.0.2', 50],
    ['10.0.0.3', 50],
  ]);
});

test.each(['down', 'without an answer'])('while DNS is %s, the replicas that were known are used', async (how) => {
  const { dns, after, spread } = resolved('10.0.0.1', '10.0.0.2');
  await after(0);
  if (how === 'down') dns.isDown = true;
  else dns.addresses = [];
  await after(500);
  expect(spread(2)).toEqual([
    ['10.0.0.1', 1],
    ['10.0.0.2', 1],
  ]);
});

test('one that accepts no connections gets nothing for five seconds, if there is another', async () => {
  const { replicas, after, spread } = resolved('10.0.0.1', '10.0.0.2');
  await after(0);
  replicas.failed('10.0.0.1');
  expect(spread(10)).toEqual([['10.0.0.2', 10]]);
  replicas.failed('10.0.0.2');
  expect(spread(10).length).toBe(2);
  await after(5_000);
  expect(spread(10).length).toBe(2);
});

test('what was tried is not given again', async () => {
  const { replicas, after } = resolved('10.0.0.1', '10.0.0.2');
  await after(0);
  expect(replicas.next(new Set(['10.0.0.1']))).toBe('10.0.0.2');
  expect(replicas.next(new Set(['10.0.0.1', '10.0.0.2']))).toBeUndefined();
});

test('an address is not looked up', () => {
  const lookup = jest.fn();
  for (const address of ['127.0.0.1', '::1']) {
    const replicas = createReplicas(address, { lookup });
    expect([replicas.next(), replicas.next(new Set([address]))]).toEqual([address, undefined]);
  }
  expect(lookup).not.toHaveBeenCalled();
});
