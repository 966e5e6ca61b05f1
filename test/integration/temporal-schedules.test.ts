import { startTestInstance } from '../support/test-instance.ts';
import { describeTemporalSchedules } from './describe-temporal-schedules.ts';

describeTemporalSchedules(startTestInstance);
