/**
 * Rowlock's public words: a {@link dev.rowlock.Mapping} says which table and columns mean what, a
 * {@link dev.rowlock.Queue} claims rows and finishes them under a fence, a {@link
 * dev.rowlock.Worker} does so with a {@link dev.rowlock.Handler}.
 */
package dev.rowlock;
