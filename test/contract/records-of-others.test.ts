import { describeRecordsOfOthers } from './describe-records-of-others.ts';

describeRecordsOfOthers(1);
