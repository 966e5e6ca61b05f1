import { describeScheduleTimes } from './describe-schedule-times.ts';

describeScheduleTimes(2);
