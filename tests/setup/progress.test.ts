import Progress, { progressOf } from './progress.ts';

const results = {
  startTime: 0,
  numTotalTestSuites: 400,
  numPassedTestSuites: 120,
  numFailedTestSuites: 1,
  numPassedTests: 2_500,
} as Parameters<typeof progressOf>[0];

test('a line says how far a run is', () => {
  expect(progressOf(results, 180_000)).toBe('3 min: 121 of 400 files, 2500 tests passed, 1 files failed');
});

test('in the end the ten slowest files are named, the slowest first', () => {
  const written: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  const progress = new Progress();
  for (let n = 1; n <= 12; n += 1) {
    const file = { path: `/project/tests/${n}.test.ts`, context: { config: { rootDir: '/project' } } };
    progress.onTestResult(file as never, { perfStats: { runtime: n * 1_000 } } as never);
  }
  progress.onRunComplete();
  write.mockRestore();
  expect(written).toHaveLength(11);
  expect([written[1], written[10]]).toEqual(['   12.0 s  tests/12.test.ts\n', '    3.0 s  tests/3.test.ts\n']);
});
