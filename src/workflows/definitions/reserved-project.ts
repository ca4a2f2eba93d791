/** Its workflows come with the service; files of a home cannot define any. */
export const reservedProject = 'faultline';
