import { describe, expect, test } from '@jest/globals';
import { AtOnce } from './at-once.ts';

const ada = { userId: 'ada', orgId: 'one' };
const bob = { userId: 'bob', orgId: 'one' };
const eve = { userId: 'eve', orgId: 'two' };
const BOUNDS = { perUser: 2, perOrg: 3, perProcess: 4 };

describe('what is under way at once', () => {
  test('is refused beyond the bound of a user, and let in again when one has left', () => {
    const open = new AtOnce(BOUNDS, 'of these; wait');
    const leave = open.enter(ada);
    open.enter(ada);
    expect(() => open.enter(ada)).toThrow('You have 2 of these; wait');
    open.enter(bob);
    leave();
    open.enter(ada);
  });

  test('is refused beyond the bound of an organization, whoever of it comes', () => {
    const open = new AtOnce(BOUNDS, 'of these; wait');
    for (const owner of [ada, ada, bob]) open.enter(owner);
    expect(() => open.enter(bob)).toThrow('Your organization has 3 of these');
    open.enter(eve);
  });

  test('is refused beyond the bound of the process', () => {
    const open = new AtOnce(BOUNDS, 'of these; wait');
    for (const owner of [ada, ada, bob, eve]) open.enter(owner);
    expect(() => open.enter(eve)).toThrow('The server has 4 of these');
  });

  test('leaves once, however often it is told to', () => {
    const open = new AtOnce(BOUNDS, 'of these; wait');
    const leave = open.enter(ada);
    open.enter(ada);
    leave();
    leave();
    open.enter(ada);
    expect(() => open.enter(ada)).toThrow('You have 2');
  });

  test('counts together for a user in several organizations', () => {
    const open = new AtOnce(BOUNDS, 'of these; wait');
    open.enter(ada);
    open.enter({ ...ada, orgId: 'two' });
    expect(() => open.enter({ ...ada, orgId: 'three' })).toThrow('You have 2');
  });
});
