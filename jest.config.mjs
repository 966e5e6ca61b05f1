const runner = '<rootDir>/test/support/runner/shared-modules-runner.ts';

const folders = [
  'api',
  'telemetry',
  'files',
  'activities',
  'workflows',
  'worker',
  'operator',
  'db',
  'domain',
  'definition-files',
  'builtin',
  'scripts',
  'bench',
  'packages',
  'test',
];

const service = {
  displayName: 'service',
  runner,
  testEnvironment: 'node',
  // Nothing else is looked through for tests: node_modules alone has some hundred thousand files.
  roots: folders.map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.tsx?$'],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

// The pages of the console, in a document without a browser. They need neither PostgreSQL nor Temporal.
const pages = {
  displayName: 'console',
  runner,
  roots: ['<rootDir>/console'],
  testMatch: ['**/*.test.{ts,tsx}'],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.tsx?$'],
  transform: {},
  testEnvironmentOptions: {
    nodeOptions: ['--conditions=browser', '--enable-source-maps', '--import=./test/support/console/document.mjs'],
  },
  setupFilesAfterEnv: ['<rootDir>/test/support/console/set-up.mjs'],
};

export default {
  projects: [service, pages],
  reporters: ['default', '<rootDir>/test/support/run/run-reporter.mjs'],
  // One more than two processors: a third of the time a file waits for something else.
  maxWorkers: 3,
  // Far beyond what any test needs, so that only one that hangs reaches it, however busy the machine is.
  testTimeout: 300_000,
};
