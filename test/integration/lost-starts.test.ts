import { startTestInstance } from '../support/test-instance.ts';
import { describeLostStarts } from './describe-lost-starts.ts';

// Messages, runs, schedules, tasks and some of what follows other writes.
const names = [
  'a message',
  'the words of a message',
  'a decision about a call',
  'a run by hand',
  'an interrupt of a run',
  'a schedule',
  'a task',
  'a delivery of a webhook',
  'a file',
  'a repository',
  'the deletion of an organization',
  'the end of the turn of a run',
  'the end of a run that is stopped while a call of a sub-agent waits for a decision',
];

describeLostStarts({ start: startTestInstance, names });
