import { startOwnInstance } from '../support/test-instance.ts';
import { describeTemporalSchedules } from './describe-temporal-schedules.ts';

// The implementation that the server is going over to.
const temporalConfig = {
  'history.enableCHASMSchedulerCreation': 'true',
  'history.chasmSchedulerCreationRolloutPercent': '100',
};

describeTemporalSchedules(async () => startOwnInstance({ temporalConfig }));
