import express, { type Request, type Response } from 'express';

const MAX_FORM_BYTES = 16_384;
const MAX_FIELDS = 10;

const readForm = express.urlencoded({
  limit: MAX_FORM_BYTES,
  parameterLimit: MAX_FIELDS,
  extended: false,
  inflate: false,
});

/** Reads the fields of a form of one of our pages; undefined when the body is none that they send. */
export async function readFormBody(request: Request, response: Response): Promise<unknown> {
  return new Promise((resolve) => {
    readForm(request, response, (error?: unknown) => resolve(error === undefined ? request.body : undefined));
  });
}
