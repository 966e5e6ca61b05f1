import config from './jest.config.mjs';

// `npm run test:long`: the tests that are slow by nature (docs/tests.md).
// Inherited by the processes that run the tests.
process.env.EVERTURN_TEST_LENGTH = 'long';

export default {
  ...config,
  projects: config.projects.map((project) => ({
    ...project,
    testMatch: ['**/*.long.test.{ts,tsx}'],
    testPathIgnorePatterns: ['/node_modules/'],
  })),
  // Its durations are not those of the short run.
  reporters: ['default', ['<rootDir>/test/support/run/run-reporter.mjs', { isKept: false }]],
  // As in the short run, far beyond what any of them needs.
  testTimeout: 1_800_000,
};
