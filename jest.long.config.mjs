import config from './jest.config.mjs';
import { testsOfLength } from './test/support/run/tests-of-length.ts';

// `npm run test:long`: the tests that are slow by nature (docs/tests.md).
// Inherited by the processes that run the tests.
process.env.EVERTURN_TEST_LENGTH = 'long';

const testMatch = testsOfLength('long').map((test) => `<rootDir>/${test}`);

export default {
  ...config,
  projects: config.projects.map((project) => ({
    ...project,
    testMatch,
    testPathIgnorePatterns: ['/node_modules/'],
  })),
  // Its durations are not those of the short run.
  reporters: ['default', ['<rootDir>/test/support/run/run-reporter.mjs', { isKept: false }]],
  // As in the short run, far beyond what any of them needs.
  testTimeout: 1_800_000,
};
