import { describe, expect, test } from '@jest/globals';
import { OWN_PAYERS } from '../../test/support/own-payer.ts';
import { createMemberLimit } from './concurrency-limit.ts';

const ada = { userId: 'ada', orgId: 'one' };
const bob = { userId: 'bob', orgId: 'one' };
const eve = { userId: 'eve', orgId: 'two' };
const BOUNDS = { perUser: 2, perOrg: 3, perProcess: 4 };

describe('what is under way at once', () => {
  test('is refused beyond the bound of a user, and let in again when one is released', () => {
    const open = createMemberLimit(BOUNDS, 'of these; wait', OWN_PAYERS);
    const release = open.acquire(ada);
    open.acquire(ada);
    expect(() => open.acquire(ada)).toThrow('You have 2 of these; wait');
    open.acquire(bob);
    release();
    open.acquire(ada);
  });

  test('is refused beyond the bound of an organization, for all of its members', () => {
    const open = createMemberLimit(BOUNDS, 'of these; wait', OWN_PAYERS);
    for (const owner of [ada, ada, bob]) open.acquire(owner);
    expect(() => open.acquire(bob)).toThrow('Your organization, with all others of its owner, has 3 of these');
    open.acquire(eve);
  });

  test('is refused beyond that bound in all organizations of one owner together, also when the owner changes', () => {
    let ownerId = 'ada';
    const open = createMemberLimit(BOUNDS, 'of these; wait', { known: (orgId) => ({ ownerId, orgId }) });
    const releases = [ada, bob, eve].map((member) => open.acquire(member));
    expect(() => open.acquire(eve)).toThrow('Your organization, with all others of its owner, has 3 of these');
    ownerId = 'eve';
    for (const release of releases) release();
    ownerId = 'ada';
    for (const member of [ada, bob, eve]) open.acquire(member);
  });

  test('is refused beyond the bound of the process', () => {
    const open = createMemberLimit(BOUNDS, 'of these; wait', OWN_PAYERS);
    for (const owner of [ada, ada, bob, eve]) open.acquire(owner);
    expect(() => open.acquire(eve)).toThrow('The server has 4 of these');
  });

  test('is released once, however often release is called', () => {
    const open = createMemberLimit(BOUNDS, 'of these; wait', OWN_PAYERS);
    const release = open.acquire(ada);
    open.acquire(ada);
    release();
    release();
    open.acquire(ada);
    expect(() => open.acquire(ada)).toThrow('You have 2');
  });

  test('counts together for a user in several organizations', () => {
    const open = createMemberLimit(BOUNDS, 'of these; wait', OWN_PAYERS);
    open.acquire(ada);
    open.acquire({ ...ada, orgId: 'two' });
    expect(() => open.acquire({ ...ada, orgId: 'three' })).toThrow('You have 2');
  });
});
