/** The part of pino that the worker uses. */
export type WorkerLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;
