import { join } from 'node:path';

// Programs that tests start share their compiled code, also between runs.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

const swc = [
  '@swc/jest',
  {
    jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
    // Jest loads every package anew for each test file, so load only those that are used. Importing has no side effects here
    // (CONTRIBUTING.md, rule 7), so the time of loading does not matter.
    module: { type: 'commonjs', lazy: true },
    sourceMaps: 'inline',
  },
];

const common = {
  testEnvironment: 'node',
  transform: { '^.+\\.(ts|[cm]?js)$': swc },
  // Compiled like our own code: packages that ship only ES modules, and two that call `import()`, which fails
  // silently in Jest otherwise: one file of the MongoDB driver (the server then refuses the client's handshake) and
  // OpenTelemetry's exporter.
  transformIgnorePatterns: [
    '/node_modules/(?!(@app|jose|hucre|saxen|openid-client|oauth4webapi|file-type|strtok3|token-types|uint8array-extras|@opentelemetry/otlp-exporter-base|zip-stream|compress-commons|crc32-stream|is-stream)/|mongodb/lib/runtime_adapters)',
  ],
  modulePathIgnorePatterns: ['<rootDir>/.stack/'],
};

const infra = {
  globalSetup: '<rootDir>/tests/setup/infra-up.ts',
  globalTeardown: '<rootDir>/tests/setup/all-down.ts',
};

/**
 * The name or the folder tells the kind:
 * - `*.test.ts`: no I/O
 * - `*.int.test.ts`: a real MongoDB and RabbitMQ
 * - `tests/e2e`: the whole platform; `tests/browser`: the console on it, in a browser
 * - `tests/faults/brief.test.ts`: a platform with two processes of each service, under faults
 * - `*.slow.test.ts`: operations rather than behaviour, by `npm run test:slow`
 */
export default {
  // Generous: a test must not fail because the machine is busy.
  testTimeout: 300_000,
  // Twice the cores of a small machine: tests wait as much as they compute.
  maxWorkers: 4,
  // What a test file has loaded stays in the memory of its worker, 10 to 20 MB. After a hundred files the collector would take more of
  // the time than the tests.
  workerIdleMemoryLimit: '600MB',
  testSequencer: '<rootDir>/tests/setup/long-ones-first.ts',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,sdk,services,tools,tests}/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '\\.(int|slow)\\.test\\.ts$',
        '/tests/(browser|e2e)/',
        '/tests/faults/brief\\.test\\.ts$',
      ],
    },
    {
      ...common,
      ...infra,
      displayName: 'int',
      testMatch: ['<rootDir>/{libs,sdk,services,tools,tests}/**/*.int.test.ts'],
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/tests/e2e/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.slow\\.test\\.ts$'],
      globalSetup: '<rootDir>/tests/setup/platform-up.ts',
      globalTeardown: '<rootDir>/tests/setup/all-down.ts',
    },
    // The console in a real browser, on the platform of the end-to-end tests.
    {
      ...common,
      displayName: 'browser',
      testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
      globalSetup: '<rootDir>/tests/setup/browser-up.ts',
      globalTeardown: '<rootDir>/tests/setup/all-down.ts',
    },
    // Starts everything it needs by itself.
    {
      ...common,
      displayName: 'faults',
      testMatch: ['<rootDir>/tests/faults/brief.test.ts'],
    },
    {
      ...common,
      ...infra,
      displayName: 'slow',
      testMatch: ['<rootDir>/{libs,sdk,services,tools,tests}/**/*.slow.test.ts'],
    },
  ],
};
