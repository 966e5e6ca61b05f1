import type { ClientGenerator } from './generator.ts';
import { oapiCodegen } from './oapi-codegen.ts';
import { openapiGeneratorPython, openapiGeneratorTypescript } from './openapi-generator.ts';
import { openapiPythonClient } from './openapi-python-client.ts';

/** The generators that the description of the API is kept fit for. */
export const CLIENT_GENERATORS: readonly ClientGenerator[] = [
  oapiCodegen,
  openapiPythonClient,
  openapiGeneratorPython,
  openapiGeneratorTypescript,
];
