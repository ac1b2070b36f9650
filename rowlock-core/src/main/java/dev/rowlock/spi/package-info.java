/**
 * What a dialect gets and what it returns: the resolved table and mapping, and statement plans. For
 * people who add a database; may change in minor releases.
 */
package dev.rowlock.spi;
