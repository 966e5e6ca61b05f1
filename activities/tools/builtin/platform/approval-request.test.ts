import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { approvalRequest } from './approval-request.ts';

let tools: TestTools;
beforeAll(async () => {
  tools = await createTestTools();
});
afterAll(() => tools.close());

describe('approval_request', () => {
  const args = { title: 'Pay the bill', details: '120 euros to Acme', action: { euros: 120 } };

  test('always waits for a person, and returns that they have approved', async () => {
    const call = prepareCall(approvalRequest, args);
    expect(call).toMatchObject({ approval: 'always', effect: 'read', label: 'Approval: Pay the bill' });
    const { value } = await call.run({ ...tools.context, isApproved: true });
    expect(value).toEqual({ approved: true, title: 'Pay the bill', action: { euros: 120 } });
  });

  test('does not say that somebody has approved where nobody was asked', async () => {
    await expect(prepareCall(approvalRequest, args).run(tools.context)).rejects.toMatchObject({ kind: 'denied' });
  });
});
