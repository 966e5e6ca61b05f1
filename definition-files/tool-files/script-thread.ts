import { parentPort, workerData } from 'node:worker_threads';
import { scriptIssue } from './script-file.ts';

// The main program of the thread in which one script is read (`script-file.ts`).
parentPort?.postMessage({ issue: scriptIssue(String(workerData)) });
