import { startOwnInstance } from '../support/test-instance.ts';
import { describeFailingModels } from './describe-failing-models.ts';

// They hold for the models that do respond, too.
const worker = { MODEL_FIRST_BYTE_TIMEOUT: '15', MODEL_IDLE_TIMEOUT: '15', MODEL_TOTAL_TIMEOUT: '30' };

describeFailingModels(async () => startOwnInstance({ openPorts: [], worker }), Infinity);
