import { afterEach, expect, test } from '@jest/globals';
import { sharedServices } from '../support/shared-services.ts';
import { Undo } from '../support/undo.ts';
import { expectPromisesKept } from './expect-promises-kept.ts';

const undo = new Undo();
afterEach(async () => undo.all());

test('every promise is kept, when parts are killed while users talk to it', async () => {
  expect(await expectPromisesKept('short', ['kill worker', 'kill PostgreSQL'], undo)).toBe(
    'path' in sharedServices().bwrap ? 9 : 8,
  );
}, 480_000);
