import { type Line, runProgram } from './program.ts';

async function logged(env: NodeJS.ProcessEnv, name = 'log.ts'): Promise<string> {
  const program = runProgram(name, [], env);
  program.child.disconnect();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe('');
  return program.stdout();
}

describe('in production', () => {
  let lines: Line[];
  const line = (message: string) => lines.find((each) => each['message'] === message);

  beforeAll(async () => {
    const text = await logged({ NODE_ENV: 'production' });
    lines = text
      .split('\n')
      .filter(Boolean)
      .map((each) => JSON.parse(each) as Line);
  });

  test('a line is one JSON object with level, service, time and fields', () => {
    expect(line('plain')).toEqual({
      level: 'info',
      message: 'plain',
      service: 'probe',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ticketId: 't1',
    });
  });

  test('a line within a request or message carries its ids', () => {
    expect(line('within')).toMatchObject({
      level: 'warn',
      requestId: 'r-1',
      messageId: 'm-1',
      attempt: 2,
    });
    expect(line('plain')).not.toHaveProperty('requestId');
  });

  test('an error is logged with its stack, its code and its causes', () => {
    expect(line('failed')).toMatchObject({
      level: 'error',
      error: {
        name: 'Error',
        message: 'delivery failed',
        stack: expect.stringContaining('log.ts'),
        cause: { name: 'AggregateError', code: 'ECONNREFUSED', errors: [{ message: 'no one at 127.0.0.1' }] },
      },
    });
    expect(line('failed without an error')).toMatchObject({ error: 'just text' });
  });

  test('an error or a field of unlimited size is logged all the same', () => {
    expect(line('an endless error')).toMatchObject({ error: { message: 'bites its tail' } });
    expect(line('an endless field')).toBeDefined();
  });

  test('lines below the level are not logged', () => {
    expect(line('detail')).toBeUndefined();
  });
});

test('in development a line is for people: time, level, message, fields', async () => {
  const lines = (await logged({ NODE_ENV: 'development', LOG_LEVEL: 'debug' })).split('\n');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info plain \{"ticketId":"t1"\}$/);
  expect(lines[1]).toContain('"requestId":"r-1"');
  expect(lines.find((line) => line.includes('an endless field'))).toContain('Circular');
  expect(lines.at(-2)).toMatch(/ debug detail$/);
});

describe('the lines of requests', () => {
  const lines = async (env: NodeJS.ProcessEnv) => (await logged(env, 'line-log.ts')).split('\n').filter(Boolean);

  test('are those of the logger, and all of them are written before the process ends', async () => {
    const all = (await lines({ NODE_ENV: 'production' })).map((text) => JSON.parse(text) as Line);
    expect(all.map((line) => line['requestId'])).toEqual(Array.from({ length: 1000 }, (_, n) => `r-${n}`));
    expect(all[0]).toEqual({
      level: 'info',
      message: 'request',
      service: 'probe',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      requestId: 'r-0',
      status: 200,
    });
    const [readable] = await lines({ NODE_ENV: 'development' });
    expect(readable).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info request \{"requestId":"r-0","status":200\}$/);
  });

  test('are not written where info is not logged', async () => {
    expect(await lines({ LOG_LEVEL: 'warn' })).toEqual([]);
  });
});
