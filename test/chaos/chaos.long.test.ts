import { afterEach, expect, test } from '@jest/globals';
import { AIMED_FAULTS, BLIND_FAULTS } from '../../chaos/faults/plan-faults.ts';
import { sharedServices } from '../support/shared-services.ts';
import { Undo } from '../support/undo.ts';
import { expectPromisesKept } from './expect-promises-kept.ts';

const undo = new Undo();
afterEach(async () => undo.all());

test.each([
  ['parts are killed, paused and cut off while users talk to it', BLIND_FAULTS],
  ['faults are aimed at the moments between the steps of a turn', AIMED_FAULTS],
])('every promise is kept, when %s', async (_when, kinds) => {
  expect(await expectPromisesKept('long', kinds, undo)).toBe('path' in sharedServices().bwrap ? 19 : 18);
});
