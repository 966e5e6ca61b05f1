import { expect, test } from '@jest/globals';
import { pathsWithoutTests } from './paths-without-tests.ts';

const LONG = ['--config', 'jest.long.config.mjs'];

test.each([
  [['domain/schedules', '-t', 'nosuch', '--bail', 'api/agents'], []],
  [['domain/schedules', 'api/nosuch'], ['No test has the path api/nosuch.']],
  [['test/memory'], ['Only long: npm run test:long -- test/memory']],
  [
    [...LONG, 'domain/schedules/timing'],
    ['domain/schedules/timing is no long test: npm test -- domain/schedules/timing'],
  ],
  [[...LONG, 'test/memory'], []],
  [['^domain/schedules/', '--passWithNoTests', 'nosuch'], []],
])('of the arguments %j these paths have no test: %j', (args, sentences) => {
  expect(pathsWithoutTests(args)).toEqual(sentences);
});
