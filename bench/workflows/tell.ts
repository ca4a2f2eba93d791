import { createSocket } from 'node:dgram';

/**
 * How the first task of a workflow says that it runs, the same way in every system: a datagram with the workflow's id to the load process,
 * only where the payload names a port.
 */
const socket = createSocket('udp4').unref();

export const tell = (port: number | undefined, id: string): void => {
  if (port !== undefined) socket.send(id, port, '127.0.0.1');
};
