import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { storeBundle } from './workflow-bundle.ts';

// Run by the worker when its bundle is missing, and when an image is built, so that a container need not write.
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath });
storeBundle(code);
