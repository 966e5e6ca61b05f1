import { startOwnInstance } from '../support/test-instance.ts';
import { describeFailingModels } from './describe-failing-models.ts';

const worker = { MODEL_FIRST_BYTE_TIMEOUT: '2', MODEL_IDLE_TIMEOUT: '2', MODEL_TOTAL_TIMEOUT: '4' };

describeFailingModels(async () => startOwnInstance({ openPorts: [], worker }), Infinity);
