// CommonJS output without Node's experimental flag: native ESM in jest keeps every module of every file in memory.
const swc = (parser) => [
  '@swc/jest',
  {
    jsc: { parser, target: 'es2024', transform: { react: { runtime: 'automatic' } } },
    module: { type: 'commonjs' },
  },
];
const transform = {
  '^.+\\.tsx$': swc({ syntax: 'typescript', tsx: true }),
  '^.+\\.ts$': swc({ syntax: 'typescript' }),
  '^.+\\.m?js$': swc({ syntax: 'typescript' }),
};
// Packages without a CommonJS entry.
const esmOnly = [
  '@ai-sdk',
  '@borewit',
  '@mikro-orm',
  '@octokit',
  '@tokenizer',
  '@vercel',
  '@workflow',
  'ai',
  'before-after-hook',
  'content-type',
  'basic-auth',
  'eventsource-parser',
  'file-type',
  'fractional-indexing',
  'jose',
  'kysely',
  'marked',
  'modern-tar',
  'oauth2-mock-server',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'universal-user-agent',
  'uuid',
  'zod',
];

const service = {
  displayName: 'service',
  runner: '<rootDir>/test/support/runner/shared-modules-runner.ts',
  testEnvironment: 'node',
  testMatch: [
    '<rootDir>/{api,start-turn,files,activities,workflows,worker,db,domain,definition-files,builtin,scripts,bench,test}/**/*.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

// The pages of the console, in a document without a browser. They need neither PostgreSQL nor Temporal.
const pages = {
  displayName: 'console',
  testEnvironment: '<rootDir>/test/support/console/environment.mjs',
  testMatch: ['<rootDir>/console/**/*.test.{ts,tsx}'],
  transform,
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleNameMapper: { '\\.css$': '<rootDir>/test/support/console/style-sheet.mjs' },
  setupFilesAfterEnv: ['<rootDir>/test/support/console/set-up.mjs'],
};

export default {
  projects: [service, pages],
  reporters: ['default', '<rootDir>/test/support/closing-line.mjs'],
  maxWorkers: 2,
  // Starts a worker anew whose heap holds the modules of many files: its garbage collections take longer than tests.
  workerIdleMemoryLimit: '1GB',
  // Far beyond what any test needs, so that only one that hangs reaches it, however busy the machine is.
  testTimeout: 120_000,
};
