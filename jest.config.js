const swc = [
  '@swc/jest',
  {
    jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
    // Jest loads every package anew for each test file, so each loads only those that it comes to use: importing does nothing
    // here (CONTRIBUTING.md, rule 7), so that nobody can tell when it happens.
    module: { type: 'commonjs', lazy: true },
    sourceMaps: 'inline',
  },
];

const common = {
  testEnvironment: 'node',
  transform: { '^.+\\.(ts|js|mjs)$': swc },
  // Workspaces and packages that ship ES modules alone are compiled too, and the one file of the MongoDB driver that
  // calls `import()` (which fails in Jest as it is, silently: the server then refuses the client's handshake);
  // everything else in node_modules is left as it is.
  transformIgnorePatterns: [
    '/node_modules/(?!(@app|jose|p-limit|yocto-queue|file-type|strtok3|token-types|uint8array-extras)/|mongodb/lib/runtime_adapters)',
  ],
  modulePathIgnorePatterns: ['<rootDir>/.stack/'],
};

const parts = {
  globalSetup: '<rootDir>/tests/setup/parts-up.ts',
  globalTeardown: '<rootDir>/tests/setup/all-down.ts',
};

/** Told by the suffix: `*.test.ts` touches nothing, `*.int.test.ts` real parts, `tests/e2e` the whole platform. */
export default {
  // Generous: a test fails by what it finds, not by how busy the machine is.
  testTimeout: 300_000,
  maxWorkers: 2,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,services,tools,tests}/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.int\\.test\\.ts$', '/tests/e2e/'],
    },
    { ...common, ...parts, displayName: 'int', testMatch: ['<rootDir>/{libs,services,tools,tests}/**/*.int.test.ts'] },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/tests/e2e/**/*.test.ts'],
      globalSetup: '<rootDir>/tests/setup/platform-up.ts',
      globalTeardown: '<rootDir>/tests/setup/all-down.ts',
    },
  ],
};
