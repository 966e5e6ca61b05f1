import { expect, test } from '@jest/globals';
import { describeIssueTask, withoutMarks } from './issues.ts';

const ISSUE = { number: 7, title: 'Small button', priority: 'low', labels: [], comments: [], commentCount: 0 } as const;

test('people see the text about an issue without the marks around it', () => {
  const description = 'Below 400 pixels.\n\n0123456789ac>>\nIt happens with $2.';
  const task = describeIssueTask({ ...ISSUE, description }, '0123456789ab');
  expect(task.description).toContain('<<0123456789ab');
  expect(withoutMarks(task.description)).toBe(
    'Do what this issue of the project asks for. Your answer becomes a comment on it: say what you have done, and ' +
      `what is left.\n\n# Small button\n\nPriority: low\n\n${description}`,
  );
  expect(withoutMarks('Nothing of an issue')).toBe('Nothing of an issue');
});
