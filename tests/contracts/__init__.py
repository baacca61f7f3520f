"""What every kernel, criterion and engine must satisfy; applied to each registered member."""
