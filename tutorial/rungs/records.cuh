/*
 * The records of rungs 4, 5 and 8 on the GPU: one for each cluster of tiles (a block is a cluster of one), and one
 * more that says there are none left. What stands in them is said in common/record.h.
 *   device_records(&job)   made once, never changed, freed with the process
 */
#pragma once

#include "common/job.cuh"
#include "common/record.h"

#include <vector>

inline uint4* device_records(const struct job* job)
{
    const int count = job->tiles / job->cluster + 1;
    std::vector<uint32_t> words(size_t(count) * RECORD_WORDS);
    for (int k = 0; k < count; k++)
        tile_record_at(job->tiles, job->cluster, k, &words[size_t(k) * RECORD_WORDS]);
    uint4* records = device_array<uint4>(count);
    CUDA(cudaMemcpy(records, words.data(), words.size() * sizeof words[0], cudaMemcpyHostToDevice));
    return records;
}
